-- Functions that check texts that other people see, and URLs that other people's browsers open. The services also check
-- the texts that they write, but callers write through GraphQL, too.

-- Replaces control characters and line separators by spaces, so that a name has one line.
create function without_control_characters(name text) returns text
language sql immutable
as $$
  select regexp_replace(name, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]', ' ', 'g')
$$;

-- True if a text neither begins nor ends with white space. The characters are those that `trim` of JavaScript removes.
create function has_no_outer_spaces(value text) returns boolean
language sql immutable
as $$
  select value !~ ('^[' || spaces || ']|[' || spaces || ']$')
  from (values ('\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff')) as class (spaces)
$$;

-- Refuses a value in a check constraint, with a message for the caller instead of the name of the constraint. The value is
-- no constant, so PostgreSQL does not evaluate the call in advance.
create function refuse_value(rule text, value text) returns boolean
language plpgsql immutable
as $$
begin
  raise exception '%; got %', rule, coalesce(nullif(left(value, 100), ''), 'an empty text')
    using errcode = 'check_violation';
end
$$;

-- True if a URL has no port, or a port up to 65535.
create function has_valid_port(url text) returns boolean
language sql immutable
as $$
  select coalesce(substring(url from '^[^:]*://[^/?#]*:([0-9]+)([/?#]|$)')::numeric <= 65535, true)
$$;
