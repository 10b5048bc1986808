# The browser viewer: bundled by npm, turned into a C array, part of the library.
#
# npm installs into viewer/node_modules, with the versions of viewer/package-lock.json; the bundle lands in the build folder.
option(KL_VIEWER "Build the browser viewer into klingel (needs Node.js with npm)" ON)
set(KL_VIEWER_DIR ${CMAKE_SOURCE_DIR}/viewer)
set(KL_VIEWER_C ${CMAKE_BINARY_DIR}/viewer/viewer_assets.c)

if(KL_VIEWER)
    find_program(NPM npm)
    find_program(NODE NAMES node nodejs)
    if(NOT NPM OR NOT NODE)
        message(FATAL_ERROR "klingel's viewer is built with Node.js (18 or newer) and npm, and they are not on the PATH. "
            "Install them (Debian: apt install nodejs npm), or configure with -DKL_VIEWER=OFF to leave out "
            "`klingel view` and `klingel report`.")
    endif()
    # npm writes this file last: it stands for the whole folder
    set(KL_VIEWER_INSTALLED ${KL_VIEWER_DIR}/node_modules/.package-lock.json)
    add_custom_command(OUTPUT ${KL_VIEWER_INSTALLED}
        COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
        COMMAND ${CMAKE_COMMAND} -E touch ${KL_VIEWER_INSTALLED}
        DEPENDS ${KL_VIEWER_DIR}/package.json ${KL_VIEWER_DIR}/package-lock.json
        WORKING_DIRECTORY ${KL_VIEWER_DIR} COMMENT "Fetching what the viewer is bundled from (npm ci)" VERBATIM)
    file(GLOB_RECURSE KL_VIEWER_SOURCES CONFIGURE_DEPENDS ${KL_VIEWER_DIR}/src/*)
    add_custom_command(OUTPUT ${KL_VIEWER_C}
        COMMAND ${NODE} build.mjs ${CMAKE_BINARY_DIR}/viewer
        DEPENDS ${KL_VIEWER_INSTALLED} ${KL_VIEWER_DIR}/build.mjs ${KL_VIEWER_SOURCES}
        WORKING_DIRECTORY ${KL_VIEWER_DIR} COMMENT "Bundling the viewer" VERBATIM)
else()
    configure_file(${KL_VIEWER_DIR}/empty_assets.c.in ${KL_VIEWER_C} COPYONLY)
endif()
