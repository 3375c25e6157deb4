"""The database. peewee lives here and nowhere else; rows never leave, values do."""
