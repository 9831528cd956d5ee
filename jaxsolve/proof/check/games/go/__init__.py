"""Go for the checker: rules, options, text, life and zones."""
