-- What others are shown: names are of one line, and addresses are such as a browser may follow and no
-- longer than that. The services refuse the rest too; this is for those who write it through GraphQL.

create function without_controls(name text) returns text
language sql immutable
as $$
  select regexp_replace(name, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]', ' ', 'g')
$$;

update team set name = without_controls(name) where name <> without_controls(name);
update "user" set name = without_controls(name) where name <> without_controls(name);
update app set name = without_controls(name) where name <> without_controls(name);
update action set name = without_controls(name) where name <> without_controls(name);
update api_key set name = without_controls(name) where name <> without_controls(name);

alter table team add constraint team_name_is_one_line check (name = without_controls(name)) not valid;
alter table "user" add constraint user_name_is_one_line check (name = without_controls(name)) not valid;
alter table app add constraint app_name_is_one_line check (name = without_controls(name)) not valid;
alter table action add constraint action_name_is_one_line check (name = without_controls(name)) not valid;
alter table api_key add constraint api_key_name_is_one_line check (name = without_controls(name)) not valid;

-- Rows from before keep what they have until it is changed.
alter table app add constraint app_logo_url_is_short
  check (logo_url ~ '^(https?://[^\s/?#"<>\\]+([/?#][^\s"<>\\]*)?)?$' and length(logo_url) <= 2048) not valid;
alter table action add constraint action_return_url_is_short
  check (return_url ~ '^(https?://[^\s/?#"<>\\]+([/?#][^\s"<>\\]*)?)?$' and length(return_url) <= 2048) not valid;
alter table action add constraint action_description_is_short check (length(description) <= 4096) not valid;
