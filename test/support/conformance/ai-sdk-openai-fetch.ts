import { type Fields, fieldsOf, listOf, textOf } from './fields.ts';

/**
 * A `fetch` that tells a server for the Responses interface what the AI SDK's package says in the words that the vendor's
 * client has for it: the same interface leaves several ways to say a thing.
 */
export const aiSdkOpenAIFetch: typeof fetch = async (input, init) => {
  if (typeof init?.body !== 'string') throw new Error('The request has no body of text.');
  return fetch(input, { ...init, body: JSON.stringify(toVendorWords(JSON.parse(init.body))) });
};

function toVendorWords(body: Fields): Fields {
  const items = listOf(body['input']);
  const isSystem = ({ role }: Fields): boolean => role === 'developer' || role === 'system';
  return {
    ...body,
    instructions: items
      .filter(isSystem)
      .map(({ content }) => textOf(content))
      .join('\n\n'),
    input: items.filter((item) => !isSystem(item)).map(toVendorItem),
  };
}

function toVendorItem(item: Fields): Fields {
  const { type, role, output } = item;
  if (type === undefined && role !== undefined) return { ...item, type: 'message' };
  if (type === 'reasoning') {
    const { id, summary, encrypted_content } = item;
    return { id, type, summary, encrypted_content };
  }
  // Errors are sent as JSON.
  const told = type === 'function_call_output' && typeof output === 'string' ? parsed(output) : undefined;
  const { error } = fieldsOf(told);
  return typeof error === 'string' ? { ...item, output: error } : item;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
