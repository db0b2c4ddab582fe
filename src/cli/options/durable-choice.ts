import { resolve } from 'node:path';
import { UsageError } from '../process/errors.ts';
import { readRunName } from './run-name.ts';

/** A run that is kept in a journal, as the command line asks for it. */
export interface DurableChoice {
  /** Undefined: the journal in the user's state folder. */
  readonly journalFile: string | undefined;
  /** Name of the run; undefined: a new one. */
  readonly runId: string | undefined;
  /** See `RunInfo`; without the folder. */
  readonly call: readonly string[];
  /** The run that is resumed under this name; undefined: it begins. */
  readonly resumed: RunToResume | undefined;
}

/** What is known of a run that is resumed. */
export interface RunToResume {
  readonly sessionId: string;
  /** Whether a changed prompt, tools, policies or model are refused. */
  readonly isStrict: boolean;
  /** What is said to the model before it goes on; undefined: nothing. */
  readonly input: string | undefined;
  /** Whether it has its answer. */
  readonly isFinished: boolean;
  /** Whether its changes are in the folder already, where they are written at the end. */
  readonly isApplied: boolean;
}

/** Options that a resumed run needs again. */
const repeatedOptions = [
  'params',
  'input',
  'model',
  'base-url',
  'effort',
  'max-output-tokens',
  'context-overflow',
  'max-conversation-turns',
  'apply',
  'max-turns',
  'max-repeated-failures',
  'max-tokens',
  'max-cost',
  'prices',
  'deadline',
  'tag',
  'sandbox',
  'expires',
  'on-suspend',
] as const;

type DurableValues = {
  readonly [Name in (typeof repeatedOptions)[number] | 'mcp' | 'overrides' | 'journal' | 'run-id']?:
    | string
    | undefined;
} & { readonly [Name in 'durable' | 'suspend' | 'no-enforce']?: boolean | undefined };

/**
 * Reads `--durable`, `--journal` and `--run-id`; undefined without any.
 *
 * @param agent the module of the agent.
 * @throws {UsageError} for an invalid name, and for one without a journal.
 */
export function readDurable(agent: string, values: DurableValues): DurableChoice | undefined {
  const { journal, 'run-id': runId } = values;
  if (journal === '') throw new UsageError('the name of the journal is empty.');
  if (values.durable !== true && journal === undefined) {
    if (runId === undefined) return undefined;
    throw new UsageError('--run-id requires --durable or --journal FILE.');
  }
  return { journalFile: journal, runId: readRunName(runId), call: callOf(agent, values), resumed: undefined };
}

function callOf(agent: string, values: DurableValues): readonly string[] {
  const { mcp, overrides } = values;
  return [
    'run',
    resolve(agent),
    ...repeatedOptions.flatMap((name) => (values[name] === undefined ? [] : [`--${name}=${values[name]}`])),
    ...(overrides === undefined ? [] : [`--overrides=${resolve(overrides)}`]),
    ...(mcp === undefined ? [] : [`--mcp=${resolve(mcp)}`]),
    ...(values['no-enforce'] === true ? ['--no-enforce'] : []),
    ...(values.suspend === true ? ['--suspend'] : []),
  ];
}
