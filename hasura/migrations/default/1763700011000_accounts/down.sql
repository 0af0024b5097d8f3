drop function delete_account(text);
drop function resend_verification(text);
drop function verify_email(text);
drop function signup(text, text, text, text);
