import { type AnyAgent, defineAgent, lastCallCompletion, promptTemplate, section } from 'weakincentives';
import { bubblewrapSandbox, shellSection } from 'weakincentives/sandbox';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { providerToolsSection, vfsToolsSection } from 'weakincentives/tools';

/** What the agents of this folder differ in. */
interface FixTestsOptions {
  readonly name: string;
  /** The command that runs the tests. */
  readonly command: string;
  /** What the scripted model does, one call a turn. */
  readonly steps: readonly ScriptedToolCall[];
}

/** An agent that makes the tests of a folder pass. Its own model is a script; another one does the same work by itself. */
export function fixTestsAgent({ name, command, steps }: FixTestsOptions): AnyAgent {
  const task = section({
    title: 'Task',
    key: 'task',
    template: () =>
      `Make the tests pass: \`${command}\`. Run them first, read what fails, change the code and not the tests, and run them again. Answer when they pass.`,
  });
  return defineAgent({
    name,
    description: 'Makes the tests of a folder pass.',
    template: promptTemplate({
      ns: 'examples',
      key: name,
      sections: [
        task,
        vfsToolsSection(),
        shellSection({ backend: bubblewrapSandbox() }),
        // A model of OpenAI or Anthropic gets these tools in the shapes that it was trained on.
        providerToolsSection({
          openai: { shell: true, applyPatch: true },
          anthropic: { bash: true, textEditor: true },
        }),
      ],
    }),
    input: 'Make the tests pass.',
    // The model may answer only when the last command has succeeded.
    completion: lastCallCompletion({ toolName: 'shell_execute' }),
    limits: { maxTurns: 50 },
    adapter: scriptedAdapter((conversation) => {
      const step = steps[conversation.filter((item) => item.type === 'tool-result').length];
      return step === undefined ? { text: 'The tests pass.' } : { toolCalls: [step] };
    }),
  });
}

/** A call of `shell_execute`. */
export const shell = (command: string): ScriptedToolCall => ({
  name: 'shell_execute',
  arguments: { command },
});
