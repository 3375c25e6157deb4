"""Mail, pure: bytes to what a person said, and what the game says to bytes. No sockets, files or clock."""
