INSERT INTO lab.test_runs (dsl, run_status) VALUES ('{"image": "sieve"}', 'done'), ('{}', 'failed');
INSERT INTO lab.test_steps (run_id, took) VALUES (1, 1.5), (2, 2);
