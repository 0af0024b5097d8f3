drop function resend_verification;
drop function verify_email;
drop function claim_mail;
drop table email_verification;
