-- The chain behind a fold as it was when the thinking there was left out: in a branch the thinking is another. Of older
-- folds it is not known.
ALTER TABLE guest_folds ADD COLUMN behind BLOB NOT NULL DEFAULT x'';
