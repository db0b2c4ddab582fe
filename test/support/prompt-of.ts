import { type AnyTool, type HostedTool, type Prompt, promptTemplate, section } from 'weakincentives';

/** What a test's prompt is about. */
interface PromptParts {
  readonly tools?: readonly AnyTool[];
  readonly hostedTools?: readonly HostedTool[];
}

/** A prompt of one section with these tools, for tests that are not about the prompt. */
export function promptOf(parts: PromptParts = {}): Prompt {
  const task = section({ title: 'Task', key: 'task', template: 'Do it.', ...parts });
  return promptTemplate({ ns: 'test', key: 'prompt', sections: [task] }).bind();
}
