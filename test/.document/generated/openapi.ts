// Written by `npm run generate` from openapi.json. Do not edit.
export interface paths {
    "/public/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an app from a store listing
         * @description Reads an App Store listing, a Google Play listing or both, and creates an app on the caller's account. Its cost in credits is not documented.
         */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job's status and result
         * @description Reads a job once. There are no webhooks: progress is followed by polling this operation.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/screenshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan a screenshot set
         * @description Starts a background job that plans a screenshot set for an app. It costs 10 credits, charged when the job is accepted.
         */
        post: operations["createScreenshots"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The device that the screenshots are planned for.
         * @enum {string}
         */
        Device: "iphone-69" | "iphone-67" | "iphone-65" | "ipad-pro" | "android-phone" | "android-tablet";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Google Play URL. */
                    androidUrl?: string;
                    /** @description Free-text guidance to seed the generation, at most 2000 characters. */
                    extraContext?: string;
                    /** @description App Store URL. */
                    iosUrl: string;
                } | {
                    /** @description Google Play URL. */
                    androidUrl: string;
                    /** @description Free-text guidance to seed the generation, at most 2000 characters. */
                    extraContext?: string;
                    /** @description App Store URL. */
                    iosUrl?: string;
                };
            };
        };
        responses: {
            /** @description The app that was created. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Identifier to use when creating screenshot sets. */
                        appId: string;
                        /** @description URL of the app's icon image. */
                        artworkUrl: string;
                        /** @description Store category. */
                        category: string;
                        /** @description The app's name, read from the listing. */
                        name: string;
                    };
                };
            };
            /** @description The key is missing, invalid or revoked. When it is missing, the message names the headers that are accepted. The format of the body is not documented. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `jobId` that the creation of the screenshot set returned. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Populated only when `status` is `failed`, null otherwise. Its fields are not documented. */
                        error: {
                            [key: string]: unknown;
                        } | null;
                        /** @description The `jobId`. */
                        id: string;
                        /** @description Populated only when `status` is `succeeded`. */
                        result: {
                            device: components["schemas"]["Device"];
                            /** @description The planned slides. */
                            slides: {
                                [key: string]: unknown;
                            }[];
                        } | null;
                        /**
                         * @description Where the job stands. The transitions between the states are not documented.
                         * @enum {string}
                         */
                        status: "queued" | "running" | "succeeded" | "failed";
                    };
                };
            };
            /** @description The key is missing, invalid or revoked. When it is missing, the message names the headers that are accepted. The format of the body is not documented. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createScreenshots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An `appId` that the creation of an app returned. */
                    appId: string;
                    /**
                     * @description Length of the captions.
                     * @default short
                     * @enum {string}
                     */
                    captionLength?: "short" | "long";
                    /**
                     * @description Voice of the captions. Values other than the default are not documented.
                     * @default aso-expert
                     */
                    captionStyle?: string;
                    /**
                     * @description Number of slides, 1 to 10. Ignored when `narrativeId` is set.
                     * @default 5
                     */
                    count: number;
                    device: components["schemas"]["Device"];
                    /** @description Slug of a narrative from the catalogue. Overrides `count`. */
                    narrativeId?: string;
                };
            };
        };
        responses: {
            /** @description The job was accepted and charged. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Credits charged and credits left. */
                        credits: {
                            /** @description Credits charged for this job (10). */
                            cost: number;
                            /** @description Credits left in the monthly allowance after the charge. */
                            remaining: number;
                        };
                        /** @description Identifier to poll the job with. */
                        jobId: string;
                    };
                };
            };
            /** @description The key is missing, invalid or revoked. When it is missing, the message names the headers that are accepted. The format of the body is not documented. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
