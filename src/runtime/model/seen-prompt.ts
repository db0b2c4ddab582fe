import type { ReadonlySessionView } from '../../session/index.ts';
import type { PromptPort } from '../../tool/index.ts';
import type { PromptDisplay } from './prompt-display.ts';

/** A prompt and how its model sees it. */
export interface DisplayedPrompt {
  readonly prompt: PromptPort;
  readonly display: PromptDisplay;
}

/**
 * The prompt of an evaluation as it is seen from inside of it: its `sections()` are what the model has at present.
 *
 * @param session what is asked which sections were opened.
 */
export function seenPrompt(
  { prompt, display }: DisplayedPrompt,
  session: () => ReadonlySessionView,
): PromptPort {
  const { rendered } = display;
  const seen = Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(prompt),
    sections: { enumerable: true, value: () => rendered['~sections'].list(session()) },
  }) as PromptPort; // It has every member of the prompt.
  return Object.freeze(seen);
}
