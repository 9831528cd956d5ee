"""Former name of ``sgf_encoding``, for modules that still import it."""

from jaxsolve.formats.sgf_encoding import holds_record as holds_record
