-- How long the oldest message has been waiting is asked every few seconds.
create index mail_waiting_created_at_idx on mail (created_at) where sent_at is null;
