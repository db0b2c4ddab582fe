import { counted } from '../internal/index.ts';
import { printable } from './plain-text.ts';
import { reviewAgent, reviewSetting } from './review/review-agent.ts';
import type { RunnableAgent } from './runnable-agent.ts';
import { skipNotes } from './skipped-files.ts';

const review: RunnableAgent = {
  agent: reviewAgent,
  title: (name) => `Review of ${name}`,
  resources: reviewSetting.resources,
  prepare: reviewSetting.prepare,
  notes: (folder) => skipNotes(folder.unmounted()),
  judge: (session, text) => {
    const { findings, isPublished } = reviewSetting.outcome(session);
    return {
      failure: isPublished
        ? undefined
        : `the review ended without a published report. ${printable(text)}`.trimEnd(),
      summary: `${counted(findings, 'finding')} recorded, ${isPublished ? 'report published' : 'no report published'}`,
    };
  },
};

/** The agents that the command brings, by name. */
export const BUILT_IN_AGENTS: ReadonlyMap<string, RunnableAgent> = new Map([['review', review]]);
