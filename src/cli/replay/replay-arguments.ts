import type { JsonObject } from '../../core/schema/index.ts';
import { type ModelChoice, readModelChoice } from '../model/model-choice.ts';
import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import {
  type OverridesChoice,
  readBaseUrl,
  readDuration,
  readOverrides,
  readParams,
  readRecordName,
} from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** A request of `wink replay`. */
export interface ReplayRequest extends CommandRequest<'replay'> {
  /** Path of a record, or the name of a run in a journal. */
  readonly file: string;
  /** The journal that has the run; undefined: a file, or else the journal in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Module of the agent; undefined: the one that the record names. */
  readonly agent: string | undefined;
  readonly onDrift: 'stop' | 'force' | 'continue';
  /** The model that takes over with `continue`; undefined: the agent's own. */
  readonly model: ModelChoice | undefined;
  readonly baseUrl: string | undefined;
  /** How long the provider of that model may give no sign of an answer. */
  readonly timeoutMs: number | undefined;
  readonly tools: 'recorded' | 'live' | Readonly<Record<string, 'recorded' | 'live'>> | undefined;
  /** Whether policies and handlers get the resources of the present; undefined: they do not. */
  readonly resources: 'refuse' | 'live' | undefined;
  readonly params: JsonObject;
  /** File of the servers whose tools the run had; undefined: none. */
  readonly mcpFile: string | undefined;
  /** The edited texts of the prompt; undefined: the texts of the code. */
  readonly overrides: OverridesChoice | undefined;
  /** The folder of the recorded run, for its name. */
  readonly workspace: string | undefined;
  readonly isJson: boolean;
}

/** Reads the arguments after `replay`. */
export const readReplayArguments: ArgumentReader<ReplayRequest> = argumentReader(
  'replay',
  {
    texts: [
      ...(['on-drift', 'tools', 'resources', 'journal', 'params', 'model', 'base-url', 'timeout'] as const),
      ...(['tag', 'overrides', 'mcp', 'workspace', 'blobs'] as const),
    ],
    flags: ['json'],
    lists: ['redact'],
  },
  (values, [name, agent, ...others]) => {
    const file = readRecordName(name, 'replay RUN');
    if (others.length > 0)
      throw new UsageError(`one record and one agent at a time, not ${2 + others.length} names.`);
    const onDrift = readDrift(values['on-drift']);
    const onlyWithModel = (['model', 'base-url', 'timeout'] as const).find(
      (option) => values[option] !== undefined,
    );
    if (onDrift !== 'continue' && onlyWithModel !== undefined)
      throw new UsageError(
        `--${onlyWithModel} is for --on-drift continue: otherwise the answers are those of the record.`,
      );
    return {
      file,
      journalNames: readJournalNames(values),
      agent,
      onDrift,
      model: readModelChoice(values.model),
      baseUrl: readBaseUrl(values['base-url']),
      timeoutMs: readDuration('--timeout', values.timeout),
      tools: readTools(values.tools),
      resources: readResources(values.resources),
      params: readParams(values.params),
      mcpFile: values.mcp,
      overrides: readOverrides(values),
      workspace: values.workspace,
      isJson: values.json === true,
    };
  },
);

function readDrift(given: string | undefined): ReplayRequest['onDrift'] {
  if (given === undefined) return 'stop';
  if (given === 'stop' || given === 'force' || given === 'continue') return given;
  throw new UsageError(`--on-drift ${printable(given)} is not known: use stop, force or continue.`);
}

function readResources(given: string | undefined): ReplayRequest['resources'] {
  if (given === undefined || given === 'refuse' || given === 'live') return given;
  throw new UsageError(`--resources ${printable(given)} is not known: use refuse or live.`);
}

/** `recorded`, `live`, or a list such as `fetch=live,note=recorded`. */
function readTools(given: string | undefined): ReplayRequest['tools'] {
  if (given === undefined || given === 'recorded' || given === 'live') return given;
  const entries = given.split(',').map((entry) => {
    const [name = '', mode, ...rest] = entry.split('=');
    if (name === '' || rest.length > 0 || (mode !== 'recorded' && mode !== 'live')) {
      throw new UsageError(
        `--tools "${printable(given)}" is not understood: use recorded, live, or NAME=live,NAME=recorded.`,
      );
    }
    return [name, mode] as const;
  });
  return Object.fromEntries(entries);
}
