import type { SqliteDatabase } from 'weakincentives/sqlite';
import { z } from 'zod';
import { openDatabase } from '../shared/node-sqlite.ts';

const ticketSchema = z.object({ id: z.number(), customer: z.string(), text: z.string() });
const refundSchema = z.object({ ticket: z.number(), cents: z.number() });

/** A message of a customer. */
export interface Ticket {
  readonly id: number;
  readonly customer: string;
  readonly text: string;
}

/** What a customer gets back. */
export interface Refund {
  readonly ticket: number;
  readonly cents: number;
}

/** The database of the support desk. The journal of the runs is in the same file, so that a refund and the row of its call are one transaction. */
export function openDesk(file: string): SqliteDatabase & { close(): void } {
  const database = openDatabase(file);
  // Workers are processes of their own.
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000');
  database.exec(`
    create table if not exists tickets (
      id integer primary key, customer text not null, text text not null, answered integer not null default 0);
    create table if not exists refunds (ticket integer not null references tickets, cents integer not null);`);
  return database;
}

/** @returns its number. */
export function openTicket(database: SqliteDatabase, customer: string, text: string): number {
  database.prepare('insert into tickets (customer, text) values (?, ?)').run(customer, text);
  return z.object({ id: z.number() }).parse(database.prepare('select max(id) as id from tickets').get()).id;
}

export function openTickets(database: SqliteDatabase): readonly Ticket[] {
  return ticketSchema
    .array()
    .parse(database.prepare('select id, customer, text from tickets where answered = 0 order by id').all());
}

export function ticketOf(database: SqliteDatabase, id: number): Ticket | undefined {
  const row = database.prepare('select id, customer, text from tickets where id = ?').get(id);
  return row === undefined ? undefined : ticketSchema.parse(row);
}

export function closeTicket(database: SqliteDatabase, id: number): void {
  database.prepare('update tickets set answered = 1 where id = ?').run(id);
}

export function refundsOf(database: SqliteDatabase): readonly Refund[] {
  return refundSchema
    .array()
    .parse(database.prepare('select ticket, cents from refunds order by ticket').all());
}
