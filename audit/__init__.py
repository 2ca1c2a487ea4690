"""The leak audit: searches what runs leave behind for raw values. It shares no code with the remover.

It imports nothing of ours but errors: a mistake in the de-identifier's patterns cannot blind it to what they miss.
"""
