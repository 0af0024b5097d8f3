drop trigger audit on sign_in_client;
drop trigger audit on redirect;
drop function reset_client_secret;
