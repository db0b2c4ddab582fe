import type { JsonObject } from '../../core/schema/index.ts';
import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { readParams } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';

/** The actions of `wink prompt`. */
export type PromptAction = 'show' | 'seed' | 'diff' | 'check';

/** A request of `wink prompt`. */
export interface PromptRequest extends CommandRequest<'prompt'> {
  readonly action: PromptAction;
  /** Path of a module. */
  readonly agent: string;
  /** Undefined: `latest`; for `check`: every existing tag. */
  readonly tag: string | undefined;
  /** The directory of the overrides; undefined: that of the agent's repository. */
  readonly root: string | undefined;
  readonly params: JsonObject;
  /** `seed`: overrides that are out of date are replaced by the texts of the code. */
  readonly isRefreshed: boolean;
}

const actions: readonly PromptAction[] = ['show', 'seed', 'diff', 'check'];

/** Reads the arguments after `prompt`. */
export const readPromptArguments: ArgumentReader<PromptRequest> = argumentReader(
  'prompt',
  { texts: ['tag', 'overrides', 'params'], flags: ['refresh'] },
  (values, [word, agent, ...others]) => {
    const action = actions.find((each) => each === word);
    if (action === undefined) {
      const what = word === undefined ? 'no action given' : `unknown action "${word}"`;
      throw new UsageError(`${what}; wink prompt has: ${actions.join(', ')}.`);
    }
    if (agent === undefined || agent === '') {
      throw new UsageError(`no agent given: wink prompt ${action} AGENT, with a file that exports one.`);
    }
    if (others.length > 0) throw new UsageError(`one agent at a time, not ${1 + others.length}.`);
    if (values.refresh === true && action !== 'seed')
      throw new UsageError('--refresh is for wink prompt seed.');
    return {
      action,
      agent,
      tag: values.tag,
      root: values.overrides,
      params: readParams(values.params),
      isRefreshed: values.refresh === true,
    };
  },
);
