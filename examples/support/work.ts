import { runAgent, SessionBusyError, suspendApproval } from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { ticketAgent } from './agent.ts';
import { closeTicket, openDesk, openTickets } from './desk.ts';
import { deskModel } from './model.ts';

/** Where the desk is. */
export interface DeskPlace {
  /** The database of tickets, refunds and runs. */
  readonly file: string;
  /** The folder that mails leave to. */
  readonly outbox: string;
}

/**
 * Works on all open tickets, each a run of its own name: it begins, resumes where a process was killed, or waits for a person. Several processes may do this
 * at the same time, and as often as they like.
 *
 * @param say gets a line for what happens.
 */
export async function workOnTickets({ file, outbox }: DeskPlace, say: (line: string) => void): Promise<void> {
  const database = openDesk(file);
  try {
    await using journal = sqliteJournal({ database });
    for (const { id } of openTickets(database)) {
      const runId = `ticket-${id}`;
      const agent = ticketAgent(id, { database, outbox, adapter: deskModel() });
      try {
        const run = await runAgent(agent, {
          journal,
          runId,
          approve: suspendApproval(),
          observers: [
            {
              onEvent: (event) => {
                if (event.type === 'tool-call-end')
                  say(`${runId}: ${event.invocation.toolName} ${event.invocation.outcome}`);
              },
            },
          ],
        });
        if (run.finishReason === 'suspended') {
          for (const { reason, digest } of run.pending)
            say(`${runId} waits: ${reason} ${digest.slice(0, 8)}`);
        } else {
          closeTicket(database, id);
          say(`${runId} is answered: ${run.text}`);
        }
      } catch (error) {
        // Another process has it.
        if (!SessionBusyError.isInstance(error)) throw error;
      }
    }
  } finally {
    database.close();
  }
}
