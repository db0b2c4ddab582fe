/** Whether a block holds what the model thought, readable or not. */
export function isThinking(block: object): boolean {
  const type = typeOf(block);
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Whether a block asks for something that runs at the provider, or says what came of it. */
export function isHosted(block: object): boolean {
  const type = typeOf(block);
  return isServerUse(block) || (typeof type === 'string' && type.endsWith('_tool_result'));
}

/** Whether a block asks for something that runs at the provider. */
export function isServerUse(block: object): boolean {
  const type = typeOf(block);
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

function typeOf(block: object): unknown {
  return Reflect.get(block, 'type');
}
