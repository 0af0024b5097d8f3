drop function delete_account;
drop function accept_invite;
drop function invite_team_members;
drop function reset_api_key;
drop function create_api_key;
drop function create_team;
drop function is_owner;
