-- Checks of texts that other people are shown, and of URLs that their browsers follow. The services check the
-- same before they write; these checks are for callers who write through GraphQL.

-- A name in one line: control characters and line separators become spaces.
create function without_control_characters(name text) returns text
language sql immutable
as $$
  select regexp_replace(name, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]', ' ', 'g')
$$;

-- Whether a URL has no port, or one up to 65535.
create function has_valid_port(url text) returns boolean
language sql immutable
as $$
  select coalesce(substring(url from '^[^:]*://[^/?#]*:([0-9]+)([/?#]|$)')::numeric <= 65535, true)
$$;
