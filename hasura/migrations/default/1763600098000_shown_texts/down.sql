alter table action drop constraint action_description_is_short;
alter table action drop constraint action_return_url_is_short;
alter table app drop constraint app_logo_url_is_short;
alter table api_key drop constraint api_key_name_is_one_line;
alter table action drop constraint action_name_is_one_line;
alter table app drop constraint app_name_is_one_line;
alter table "user" drop constraint user_name_is_one_line;
alter table team drop constraint team_name_is_one_line;
drop function without_controls;
