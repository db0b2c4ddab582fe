import type { VNode } from 'preact';
import { commandsFor } from '../../model/commands.ts';
import { visible } from '../../model/visible.ts';
import { useSignal } from '../store/signals.ts';
import { useStore } from '../store/store.ts';
import { Section } from './parts.tsx';

/** Command lines that continue from here. They are printed, not run: the page only reads. */
export function Commands(): VNode {
  const store = useStore();
  const copied = useSignal<string | undefined>(undefined);
  const copy = async (command: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      copied.value = command;
    } catch {
      // Without access to the clipboard the text can still be selected.
    }
  };
  return (
    <Section title="Continue from here">
      <ul class="commands">
        {commandsFor(store.record.value, store.outcome.value, store.place).map(({ command, about }) => (
          <li key={command}>
            <div>
              <code>{visible(command)}</code>
              <p>{visible(about)}</p>
            </div>
            <button
              class="button small"
              aria-label={`Copy ${visible(command)}`}
              onClick={() => void copy(command)}
            >
              {copied.value === command ? 'Copied' : 'Copy'}
            </button>
          </li>
        ))}
      </ul>
      <span class="spoken" aria-live="polite">
        {copied.value === undefined ? '' : 'Copied'}
      </span>
    </Section>
  );
}
