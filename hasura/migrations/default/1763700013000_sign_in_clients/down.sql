drop function claim_client(text, text, text, text, text, text);
drop function remove_client_secret(text, text, text);
drop function reset_client_secret(text, text, text, text);
drop function remove_unused_clients();
drop function register_client(text, jsonb, text, jsonb, text, text, text);
drop table sign_in_client;
drop table redirect;
drop function refuse_localhost_redirect();
drop table local_development;
