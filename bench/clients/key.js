export const apiKey = "key_0123456789abcdef0123456789abcdef";
