-- A percent sign begins an encoded byte (RFC 3986 2.1): another one browsers and servers read differently,
-- and people would be sent elsewhere than was registered.
-- Rows from before keep what they have until it is changed.
alter table redirect add constraint redirect_uri_is_percent_encoded
  check (redirect_uri !~ '%(?![0-9A-Fa-f]{2})') not valid;
