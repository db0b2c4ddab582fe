export { sqliteJournal } from './sqlite-journal.ts';
