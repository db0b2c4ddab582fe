import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ConversationItem, ToolResult, tool } from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { promptOf } from '../support/prompt-of.ts';

const step = tool({
  name: 'step',
  description: 'Makes a step.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Made.'),
});
const prompt = promptOf({ tools: [step] });

const kinds = ['one call', 'three calls', 'paused', 'asks'] as const;

function toTurn(kind: (typeof kinds)[number], number: number): ScriptedTurn {
  switch (kind) {
    case 'one call':
      return { toolCalls: [{ name: 'step' }] };
    case 'three calls':
      return { text: 'Continue.', toolCalls: [{ name: 'step' }, { name: 'step' }, { name: 'step' }] };
    case 'paused':
      return { text: `Wait ${number}.`, finishReason: 'paused' };
    case 'asks':
      return {
        approvalRequests: [{ approvalId: `a${number}`, toolName: 'wiki', name: 'read', arguments: '' }],
      };
  }
}

/** Every call has its result behind it and every question its answer, none has two, and none is left over. */
function isWellFormed(conversation: readonly ConversationItem[]): boolean {
  const open = new Set<string>();
  for (const item of conversation) {
    if (item.type === 'assistant') {
      if (open.size > 0) return false;
      for (const part of item.content) {
        if (part.type === 'tool-call') open.add(part.callId);
        if (part.type === 'approval-request') open.add(part.approvalId);
      }
    } else if (item.type !== 'user') {
      if (!open.delete(item.type === 'approval' ? item.approvalId : item.callId)) return false;
    }
  }
  return open.size === 0;
}

function isSubsequence(part: readonly unknown[], whole: readonly unknown[]): boolean {
  let at = 0;
  for (const item of whole) if (item === part[at]) at += 1;
  return at === part.length;
}

test('whatever the turns are, requests are well formed, bounded, and the end of all that was said', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...kinds), { maxLength: 40 }),
      fc.integer({ min: 2, max: 9 }),
      async (script, maxConversationTurns) => {
        const said: ConversationItem[] = [];
        const input = 'Go.';
        const adapter = scriptedAdapter((conversation, { turn }) => {
          for (const item of conversation) {
            const isNote = item.type === 'user' && said.length > 0;
            if (!said.includes(item) && !isNote) said.push(item);
          }
          expect(isWellFormed(conversation)).toBe(true);
          const [first, ...rest] = conversation;
          expect(first).toBe(said[0]);
          const window = rest.filter(({ type }) => type !== 'user');
          expect(isSubsequence(window, said)).toBe(true);
          for (const item of window) {
            const before = said[said.indexOf(item) - 1];
            if (item.type !== 'assistant' || before === undefined) continue;
            // What was paused, and what was allowed, stands in front of what continues from it.
            const isGoneOn = before.type === 'assistant' || before.type === 'approval';
            if (isGoneOn) expect(window[window.indexOf(item) - 1]).toBe(before);
          }
          expect(window.at(-1)).toBe(said.length > 1 ? said.at(-1) : undefined);
          expect(rest.filter(({ type }) => type === 'user').length).toBeLessThanOrEqual(1);
          const turns = conversation.filter(({ type }) => type === 'assistant').length;
          const held = script.slice(0, turn - 1);
          // What belongs together may be longer than the limit.
          const isTorn = held.some((kind) => kind === 'paused' || kind === 'asks');
          if (!isTorn) expect(turns).toBeLessThanOrEqual(maxConversationTurns);
          const kind = script[turn - 1];
          return kind === undefined ? { text: 'Done.' } : toTurn(kind, turn);
        });
        await adapter.evaluate(prompt, {
          input,
          context: { maxTurns: maxConversationTurns },
          approve: () => ({ approved: true }),
        });
      },
    ),
  );
});
