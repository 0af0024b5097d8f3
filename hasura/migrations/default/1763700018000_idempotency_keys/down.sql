drop function remove_old_answered_requests(integer);
drop function remove_old_counted_requests(integer);
drop function lease_request(text, text, text, text);
delete from quota
where kind = 'answered_request';
drop table answered_request;
drop function record_requests(jsonb, boolean);
drop function counted_request_lock(text, text);
drop table counted_request;
