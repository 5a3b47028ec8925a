/** The name that the mock reads from any listing. */
export const appName = (appId: string): string => `Mock ${appId}`;
