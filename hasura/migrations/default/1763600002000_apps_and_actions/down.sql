drop function action_engine(action);
drop function action_is_staging(action);
drop table action;
drop table app;
drop function keep_sign_in_action();
drop function make_sign_in_action();
drop function refuse_change();
drop function set_app_id();
