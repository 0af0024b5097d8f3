INSERT INTO public.volume (id, title) VALUES ('11111111-1111-4111-8111-111111111111', 'A field guide to lichens');
INSERT INTO public."Loan" (volume_id, reader) VALUES ('11111111-1111-4111-8111-111111111111', 'ada'), ('11111111-1111-4111-8111-111111111111', 'bo');
