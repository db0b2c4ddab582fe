import { prepareSession } from '../../agent/index.ts';
import { SessionBusyError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { Session, systemClock } from '../../core/session/index.ts';
import type { McpSessionOptions } from '../../harness/mcp/index.ts';
import { type KeptRun, openDurableRun } from '../journal/open-durable.ts';
import { journalOption } from '../journal/open-journal.ts';
import { orUsageError, reasonOf } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import type { ServedAgent } from './open-served-agent.ts';

const busy =
  'Another client has the folder: a server with a journal has one client at a time. Wait until it has ended, or start the server with --no-durable.';

/** The sessions that clients have opened. */
export class ServedSessions {
  readonly #preparation: ServedAgent;
  readonly #prompt: Prompt;
  readonly #announce: (line: string) => void;
  readonly #runs: KeptRun[] = [];
  /** Whether a session has the folder and the journal. */
  #isTaken = false;

  constructor(preparation: ServedAgent, prompt: Prompt, announce: (line: string) => void) {
    this.#preparation = preparation;
    this.#prompt = prompt;
    this.#announce = announce;
  }

  /**
   * What the next session has of its own: a prepared session and, where they are kept, a run in the journal and a record.
   *
   * @throws {SessionBusyError} while another session has the folder and the journal.
   */
  async open(): Promise<McpSessionOptions> {
    const { folder, kept, records } = this.#preparation;
    const isOnly = kept !== undefined && folder !== undefined;
    if (isOnly && this.#isTaken) throw new SessionBusyError(busy);
    const session = new Session();
    if (isOnly) {
      this.#isTaken = true;
      session.onDispose(() => {
        this.#isTaken = false;
      });
    }
    try {
      const run = await this.#openRun();
      await this.#prepare(session);
      const observers = (await records?.next()) ?? [];
      return {
        session,
        observers,
        ...present({ journal: run?.journal, runId: run?.runId }),
      };
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Keeps that the changes of all runs are in the folder. @returns what could not be kept, one line each. */
  async markApplied(): Promise<readonly string[]> {
    const problems = await Promise.all(this.#runs.map((run) => run.markApplied()));
    return problems.filter((problem) => problem !== undefined);
  }

  async #prepare(session: Session): Promise<void> {
    const { agent, folder: workspace, params } = this.#preparation;
    await orUsageError(
      () => prepareSession(agent, this.#prompt, { session, workspace, params }),
      (error) => `the function prepare of ${printable(agent.name)} failed: ${reasonOf(error)}.`,
    );
  }

  async #openRun(): Promise<KeptRun | undefined> {
    const { agent, folder, kept } = this.#preparation;
    if (kept === undefined) return undefined;
    const { journalFile, runId, task } = kept.choice;
    // A name that was given is that of the first session.
    const number = this.#runs.length + 1;
    const name = runId === undefined || number === 1 ? runId : `${runId}-${number}`;
    const run = await openDurableRun({
      choice: { journalFile, runId: name, resumed: undefined },
      request: { kind: 'serve', ...task },
      agentName: nameOf(agent),
      workspace: folder?.hostPath,
      nowMs: systemClock.now(),
      journal: kept.journal,
    });
    this.#runs.push(run);
    const option = journalOption(journalFile);
    this.#announce(
      `calls are kept as run ${run.runId}: wink view ${run.runId}${option} shows them, wink rewind ${run.runId} --before CALL${option} undoes them once the server has ended`,
    );
    return run;
  }
}

const nameOf = ({ name }: AnyAgent): string => `serve-${name}`;
