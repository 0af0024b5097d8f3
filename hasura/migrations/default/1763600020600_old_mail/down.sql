drop index mail_created_at_idx;
