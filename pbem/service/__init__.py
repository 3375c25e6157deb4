"""Where the pure parts meet the world: mail in, one transaction, mail out, pages."""
