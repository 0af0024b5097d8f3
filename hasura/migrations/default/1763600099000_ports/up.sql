-- Where people and browsers are sent has a port that there is.

create function has_a_port(url text) returns boolean
language sql immutable
as $$
  select coalesce(substring(url from '^[^:]*://[^/?#]*:([0-9]+)([/?#]|$)')::numeric <= 65535, true)
$$;

-- Rows from before keep what they have until it is changed.
alter table app add constraint app_logo_url_has_a_port check (has_a_port(logo_url)) not valid;
alter table action add constraint action_return_url_has_a_port check (has_a_port(return_url)) not valid;
alter table redirect add constraint redirect_uri_has_a_port check (has_a_port(redirect_uri)) not valid;
