import { prepareSession } from '../../agent/index.ts';
import { SessionBusyError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { findRun, type RunJournal } from '../../core/runtime/index.ts';
import { Session, systemClock } from '../../core/session/index.ts';
import type { McpSessionOptions } from '../../harness/mcp/index.ts';
import type { ServedCode } from '../commands/serve.ts';
import { journalOption } from '../journal/journal-name.ts';
import { type KeptRun, openDurableRun } from '../journal/open-durable.ts';
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
  readonly #code: ServedCode | undefined;
  readonly #runs: KeptRun[] = [];
  /** Whether a session has the folder and the journal. */
  #isTaken = false;
  /** Names of runs that have begun or are about to. */
  readonly #names = new Set<string>();

  /** @param code what is served; undefined: no journal keeps it. */
  constructor(
    preparation: ServedAgent,
    prompt: Prompt,
    code: ServedCode | undefined,
    announce: (line: string) => void,
  ) {
    this.#preparation = preparation;
    this.#prompt = prompt;
    this.#code = code;
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

  async #newName(journal: RunJournal, given: string): Promise<string> {
    for (;;) {
      const name = await freeName(
        given,
        async (each) => this.#names.has(each) || (await findRun(journal, each)) !== undefined,
      );
      // Another session may have got it meanwhile.
      if (this.#names.has(name)) continue;
      this.#names.add(name);
      return name;
    }
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
    const { journalNames, runId, task } = kept.choice;
    const name = runId === undefined ? undefined : await this.#newName(kept.journal, runId);
    const run = await openDurableRun({
      choice: { journalNames, runId: name, resumed: undefined },
      request: { kind: 'serve', ...task, ...present({ code: this.#code }) },
      agentName: nameOf(agent),
      workspace: folder?.hostPath,
      nowMs: systemClock.now(),
      journal: kept.journal,
    });
    this.#runs.push(run);
    const option = journalOption(journalNames);
    this.#announce(
      `calls are kept as run ${run.runId}: wink view ${run.runId}${option} shows them, wink rewind ${run.runId} --before CALL${option} undoes them once the server has ended`,
    );
    return run;
  }
}

/**
 * A name that is free: the one that was given, or with a number from 2 at its end, for further sessions and for the next server of that name. Earlier ones are not all
 * asked for: a free one is found by doubling the number, and then one right after a name that is taken.
 */
async function freeName(given: string, isNameTaken: (name: string) => Promise<boolean>): Promise<string> {
  const nameOf = (number: number): string => (number === 1 ? given : `${given}-${number}`);
  const isTaken = (number: number): Promise<boolean> => isNameTaken(nameOf(number));
  let free = 1;
  while (await isTaken(free)) free *= 2;
  let taken = Math.floor(free / 2);
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(middle)) taken = middle;
    else free = middle;
  }
  return nameOf(free);
}

const nameOf = ({ name }: AnyAgent): string => `serve-${name}`;
