import { Filesystem } from '../../../core/filesystem/index.ts';
import { PolicyDecision, sequentialDependencyPolicy, type ToolPolicy } from '../../../core/policy/index.ts';
import { type Prompt, promptTemplate, section } from '../../../core/prompt/index.ts';
import { binding } from '../../../core/resource/index.ts';
import type { Effects } from './effects.ts';
import { ledgerIn } from './ledger.ts';
import type { Points } from './points.ts';
import { Count, Counts, Hearings, Sayings } from './state.ts';
import { externalTools, stateTools } from './tools.ts';

/** What the prompt of a life works with. */
export interface PromptParts {
  readonly filesystem: Filesystem;
  readonly points: Points;
  readonly effects: Effects;
  /** The folder of the case. */
  readonly folder: string;
}

/** The prompt of the cases. */
export function matrixPrompt({ filesystem, points, effects, folder }: PromptParts): Prompt {
  const asks: ToolPolicy = {
    name: 'asks',
    check: ({ tool: { name } }) => {
      if (name !== 'book') return PolicyDecision.allow();
      points.pass('policy in');
      return PolicyDecision.ask('Really book this?');
    },
  };
  return promptTemplate({
    ns: 'weakincentives/matrix',
    key: 'agent',
    resources: [binding(Filesystem, { instance: filesystem }), ledgerIn(folder, points)],
    policies: [
      sequentialDependencyPolicy({ dependencies: { send: ['count'], book: ['look'], undo: ['post'] } }),
      asks,
    ],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Do what the script says.',
        slices: [Count, Counts, Hearings, Sayings],
        tools: [...stateTools(points), ...externalTools(points, effects)],
      }),
    ],
  }).bind();
}
