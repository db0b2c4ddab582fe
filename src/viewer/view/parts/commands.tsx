import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { commandsFor } from '../../model/commands.ts';
import { visible } from '../../model/visible.ts';
import { useStore } from '../store/store.ts';
import { Section } from './parts.tsx';

/** Command lines that go on from here. They are printed, not run: the page only reads. */
export function Commands(): VNode {
  const store = useStore();
  const shown = useSignal<string | undefined>(undefined);
  const copied = useSignal(false);
  const copy = async (command: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      copied.value = true;
    } catch {
      // Without access to the clipboard the text can still be selected.
    }
  };
  return (
    <Section title="Go on from here">
      <div class="commands">
        {commandsFor(store.file).map(({ label, command }) => (
          <button
            key={label}
            class="button small"
            aria-pressed={shown.value === command}
            onClick={() => {
              shown.value = shown.value === command ? undefined : command;
              copied.value = false;
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <div aria-live="polite">
        {shown.value === undefined ? null : (
          <div class="command">
            <code>{visible(shown.value)}</code>
            <button class="button small" onClick={() => void copy(shown.value ?? '')}>
              {copied.value ? 'Copied' : 'Copy'}
            </button>
          </div>
        )}
      </div>
    </Section>
  );
}
