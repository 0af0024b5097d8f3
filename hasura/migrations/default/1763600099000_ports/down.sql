alter table redirect drop constraint redirect_uri_has_a_port;
alter table action drop constraint action_return_url_has_a_port;
alter table app drop constraint app_logo_url_has_a_port;
drop function has_a_port;
