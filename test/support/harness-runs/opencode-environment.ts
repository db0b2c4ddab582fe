/** Variables for OpenCode: a model at the provider, folders of its own, and nothing from the network. */
export function opencodeEnvironment(
  providerUrl: string,
  home: string,
  permission: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const config = {
    model: 'fake/scripted',
    small_model: 'fake/scripted',
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${providerUrl}/v1`, apiKey: 'no-key' },
        models: { scripted: { name: 'Scripted', tool_call: true } },
      },
    },
    permission,
    autoupdate: false,
    share: 'disabled',
  };
  return {
    HOME: home,
    XDG_CONFIG_HOME: `${home}/config`,
    XDG_DATA_HOME: `${home}/data`,
    XDG_CACHE_HOME: `${home}/cache`,
    XDG_STATE_HOME: `${home}/state`,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_AUTOUPDATER: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  };
}
