import type { ProviderAdapter } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

/**
 * In place of a language model, so that it needs no key: it reads the ticket, refunds the euros that the customer names, and answers. With a model,
 * `openai({ model: 'gpt-5' })` of `weakincentives/openai` takes its place.
 */
export function deskModel(): ProviderAdapter {
  return scriptedAdapter((conversation) => {
    const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    const [ticket = '', ...later] = results;
    const euros = Number(/(\d+) euros/.exec(ticket)?.[1] ?? 0);
    if (results.length === 0) return { toolCalls: [{ name: 'read_ticket' }] };
    if (euros > 0 && later.length === 0) {
      return { toolCalls: [{ name: 'refund', arguments: { cents: euros * 100 } }] };
    }
    const isRefunded = later.some((text) => text.startsWith('Refunded'));
    if (later.length < (euros > 0 ? 2 : 1)) {
      const text = isRefunded ? `We refund ${euros} euros.` : 'A colleague will write to you.';
      return { toolCalls: [{ name: 'answer_customer', arguments: { text } }] };
    }
    return { text: isRefunded ? `Refunded ${euros} euros.` : 'Answered.' };
  });
}
