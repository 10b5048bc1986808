# Data files of the program (share/): turned into one C table, so that the program needs no files beside it.
file(GLOB_RECURSE KL_SHARE_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/share/*)
list(SORT KL_SHARE_FILES)
set(KL_SHARE_C ${CMAKE_BINARY_DIR}/share/share_files.c)
add_custom_command(OUTPUT ${KL_SHARE_C}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_SOURCE_DIR}/share -DOUTPUT=${KL_SHARE_C} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${KL_SHARE_FILES} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding share/" VERBATIM)
