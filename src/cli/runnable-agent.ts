import type { AnyAgent } from '../evaluation/index.ts';
import type { AnyBinding } from '../resource/index.ts';
import type { Session } from '../session/index.ts';
import type { OpenedFolder } from './open-folder.ts';

/** What a built-in agent makes of the state that its run left. */
export interface RunVerdict {
  /** Why the run is a failure although the model ended it; undefined when it is none. */
  readonly failure: string | undefined;
  /** What came out, for the last line of the report. */
  readonly summary: string;
}

/** An agent with what a built-in one has beside the contract that an agent of a file has. */
export interface RunnableAgent {
  readonly agent: AnyAgent;
  /** The heading of the report. */
  readonly title: (workspaceName: string) => string;
  /** Further resources for its tools. */
  readonly resources?: (folder: OpenedFolder) => readonly AnyBinding[];
  /** Puts into the session what has to be known before the first turn. */
  readonly prepare?: (session: Session, folder: OpenedFolder) => Promise<void>;
  /** What of the folder it did not take, one line each. */
  readonly notes?: (folder: OpenedFolder) => readonly string[];
  /** @param text what the model said last. */
  readonly judge?: (session: Session, text: string) => RunVerdict;
}

/** An agent of a file. */
export function ofAgent(agent: AnyAgent): RunnableAgent {
  return {
    agent,
    title: (name) => (name === '' ? `Run of ${agent.name}` : `Run of ${agent.name} on ${name}`),
  };
}
