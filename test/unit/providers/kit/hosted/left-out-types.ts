const older = 'an older version of a tool that is used';
const screen = 'no backend of a sandbox has a screen';

/** Published names of tools that the library does not use, by interface, each with the reason. */
export const leftOut: Readonly<
  Record<'anthropic' | 'openai' | 'aiSdkAnthropic' | 'aiSdkOpenai', Readonly<Record<string, string>>>
> = {
  anthropic: {
    advisor_20260301: 'its tokens have the price of another model',
    bash_20241022: older,
    browser_toolset_20260801: screen,
    clear_thinking_20251015: 'an edit of the context, which settings pass on',
    clear_tool_uses_20250919: 'an edit of the context, which settings pass on',
    code_execution_20250522: older,
    code_execution_20250825: older,
    code_execution_20260120: older,
    compact_20260112: 'an edit of the context, which settings pass on',
    computer_20241022: screen,
    computer_20250124: screen,
    computer_20251124: screen,
    computer_toolset_20260801: screen,
    text_editor_20241022: older,
    text_editor_20250124: older,
    text_editor_20250429: older,
    tool_search_tool_bm25_20251119: 'tools are declared, or opened by their section',
    tool_search_tool_regex_20251119: 'tools are declared, or opened by their section',
    web_fetch_20250910: older,
    web_fetch_20260209: older,
    web_fetch_20260309: older,
    web_search_20250305: older,
    web_search_20260209: older,
  },
  openai: {
    web_search_2025_08_26: 'the same as web_search',
    web_search_preview_2025_03_11: older,
  },
  aiSdkAnthropic: {
    'anthropic.advisor_20260301': 'its tokens have the price of another model',
    'anthropic.bash_20241022': older,
    'anthropic.code_execution_20250522': older,
    'anthropic.code_execution_20250825': older,
    'anthropic.computer_20241022': screen,
    'anthropic.computer_20250124': screen,
    'anthropic.computer_20251124': screen,
    'anthropic.computer_toolset_20260801': screen,
    'anthropic.text_editor_20241022': older,
    'anthropic.text_editor_20250124': older,
    'anthropic.text_editor_20250429': older,
    'anthropic.tool_search_bm25_20251119': 'tools are declared, or opened by their section',
    'anthropic.tool_search_regex_20251119': 'tools are declared, or opened by their section',
    'anthropic.web_fetch_20260209': 'needs a beta, and may run code unasked: older than what filters by code',
    'anthropic.web_search_20260209':
      'needs a beta, and may run code unasked: older than what filters by code',
  },
  aiSdkOpenai: {
    'openai.computer': screen,
    'openai.custom': 'tools have schemas',
    'openai.local_shell': 'outdated: for codex-mini-latest only',
    'openai.programmatic_tool_calling': 'calls by programs are answered and not asked for',
    'openai.tool_search': 'tools are declared, or opened by their section',
    'openai.web_search_preview': older,
  },
};
